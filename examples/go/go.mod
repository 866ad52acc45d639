module example.com/momo

go 1.19
