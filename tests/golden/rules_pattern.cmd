rules 'budget/p*'
