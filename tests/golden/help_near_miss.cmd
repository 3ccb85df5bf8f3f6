help chek
