"""`python -m cudalab` and the console script `cudalab`: replaces this process by the cudalab program."""
import os
import sys

from .program import Error, environment, program_path


def main():
    try:
        path = str(program_path())
        os.execve(path, [path, *sys.argv[1:]], environment())
    except (Error, OSError) as error:
        sys.exit(f"cudalab: {error}")


if __name__ == "__main__":
    main()
