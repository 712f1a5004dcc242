"""The language of templates (`@idiom`, choices), and the functions that make a kernel of one."""
