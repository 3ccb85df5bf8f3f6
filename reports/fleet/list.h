/* Every section of the page about a fleet, in its order. */
FLEET_SECTION(verdict)
FLEET_SECTION(regressions)
FLEET_SECTION(findings)
FLEET_SECTION(builds)
FLEET_SECTION(labels)
