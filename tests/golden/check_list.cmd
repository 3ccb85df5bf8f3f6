check @tests/golden/programs.txt --quiet
