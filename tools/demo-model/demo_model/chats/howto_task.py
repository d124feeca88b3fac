"""Instructions."""


class HowtoTask:
    """Steps for common tasks."""

    def task_howto(self):
        """Steps for a common task on the command line or in code."""
        pick = self.pick
        package = pick(
            [
                "express",
                "lodash",
                "requests",
                "numpy",
                "react",
                "flask",
                "axios",
                "pandas",
                "zod",
                "vue",
                "django",
                "chalk",
                "rxjs",
                "pytest",
                "eslint",
                "sqlalchemy",
                "fastify",
                "webpack",
                "rollup",
                "typescript",
            ]
        )
        file_name = pick(
            ["notes", "report", "data", "config", "backup", "input", "index", "main", "todo", "log"]
        ) + pick([".txt", ".md", ".json", ".csv", ".py", ".ts"])
        branch = (
            pick(["fix", "feature", "docs", "test", "refactor", "hotfix"])
            + "/"
            + pick(
                [
                    "login",
                    "parser",
                    "cache",
                    "readme",
                    "search",
                    "export",
                    "api",
                    "layout",
                    "timeout",
                    "types",
                ]
            )
        )
        items = [
            (
                [f"How do I install {package} with npm?", f"Install {package} using npm, step by step."],
                (
                    f"To install {package} with npm:\n\n"
                    "1. Open a terminal in the folder of your project.\n"
                    f"2. Run `npm install {package}`.\n"
                    f"3. Check that `{package}` is listed in `package.json`.\n"
                    f'4. Import it in your code, for example `import x from "{package}"`.\n\n'
                    "Add `--save-dev` if you need it only for development."
                ),
            ),
            (
                [f"How do I install {package} with pip?", f"Install {package} for Python."],
                (
                    f"To install {package} with pip:\n\n"
                    "1. Create a virtual environment: `python3 -m venv .venv`.\n"
                    "2. Activate it: `source .venv/bin/activate`.\n"
                    f"3. Run `pip install {package}`.\n"
                    f'4. Test it with `python -c "import {package}"`.\n\n'
                    "Pin the version in `requirements.txt` so that others get the same one."
                ),
            ),
            (
                [
                    f"How do I create a git branch named {branch}?",
                    f"Show me the git commands for a new branch {branch}.",
                ],
                (
                    "Create the branch and switch to it:\n\n"
                    "```sh\n"
                    f"git switch -c {branch}\n"
                    "```\n\n"
                    "Then commit your work and push the branch:\n\n"
                    "```sh\n"
                    "git add -A\n"
                    'git commit -m "Describe the change"\n'
                    f"git push -u origin {branch}\n"
                    "```\n\n"
                    f"After that you can open a pull request for `{branch}`."
                ),
            ),
            (
                [
                    f"How can I read the file {file_name} in Python?",
                    f"Read {file_name} line by line in Python.",
                ],
                (
                    "Use `open` in a `with` block, so that the file is closed at the end:\n\n"
                    "```python\n"
                    f'with open("{file_name}", encoding="utf-8") as fh:\n'
                    "    for line in fh:\n"
                    "        print(line.rstrip())\n"
                    "```\n\n"
                    f"If `{file_name}` does not exist, Python raises `FileNotFoundError`."
                ),
            ),
            (
                [f"How can I read the file {file_name} in Node.js?", f"Read {file_name} with Node."],
                (
                    "Use the promise version of the file system module:\n\n"
                    "```typescript\n"
                    f'import {{ readFile }} from "node:fs/promises";\n\n'
                    f'const text = await readFile("{file_name}", "utf8");\n'
                    "console.log(text.length);\n"
                    "```\n\n"
                    f"The call rejects when `{file_name}` cannot be read, so wrap it in `try` if the file may be missing."
                ),
            ),
            (
                [f"How do I copy {file_name} to another folder on Linux?", f"Copy {file_name} in the shell."],
                (
                    "Use `cp`:\n\n"
                    "```sh\n"
                    f"cp {file_name} target/\n"
                    "```\n\n"
                    "- `cp -r` copies folders.\n"
                    "- `cp -i` asks before it overwrites a file.\n"
                    f"- `mv {file_name} target/` moves the file instead of copying it."
                ),
            ),
            (
                [
                    f'How do I find lines that contain "{branch.split("/")[1]}" in {file_name}?',
                    f"Search for {branch.split('/')[1]} in {file_name} from the command line.",
                ],
                (
                    "Use `grep`:\n\n"
                    "```sh\n"
                    f'grep -n "{branch.split("/")[1]}" {file_name}\n'
                    "```\n\n"
                    "The option `-n` prints line numbers. Add `-i` to ignore upper and lower case, or `-c` to count the matching lines."
                ),
            ),
        ]
        q, a = pick(items)
        return dict(
            user=pick(q),
            answer=a,
            goal="instructions",
            plan="I list the steps in order and show the commands.",
        )
