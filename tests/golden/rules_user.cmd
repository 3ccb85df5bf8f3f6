rules user --rules doc/rules.d
