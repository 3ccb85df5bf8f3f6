query --list -p a=1
