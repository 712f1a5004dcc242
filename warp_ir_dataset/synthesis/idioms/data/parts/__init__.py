"""Pages that families of data list: several families a file, as a folder holds only so many."""
