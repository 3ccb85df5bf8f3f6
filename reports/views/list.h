/* Every view, in the order --help lists them. */
VIEW(graph)
VIEW(modules)
VIEW(partitions)
VIEW(devices)
VIEW(calls)
VIEW(around)
VIEW(finding)
VIEW(diff)
