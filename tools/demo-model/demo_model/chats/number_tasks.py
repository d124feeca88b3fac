"""Tasks with numbers."""

from demo_model.chats.vocabulary import CITIES, FRUITS, NAMES, PRODUCTS, THINGS, UNITS
from demo_model.chats.wording import format_2, format_4, is_prime, num_words


class NumberTasks:
    """Lists of numbers, sums, units, numbers in words."""

    def task_listing(self):
        """Numbers counted up or down, multiples, primes, squares, sequences."""
        rng, pick = self.rng, self.pick
        k = rng.random()
        if k < 0.2:
            a, n = rng.randint(0, 400), rng.randint(8, 45)
            numbers = list(range(a, a + n))
            user = pick(
                [
                    f"Count from {a} to {a + n - 1}.",
                    f"List the numbers from {a} to {a + n - 1}.",
                    f"Write all integers from {a} up to {a + n - 1}.",
                ]
            )
            plan = f"I start at {a} and stop at {a + n - 1}."
        elif k < 0.32:
            a, n = rng.randint(10, 300), rng.randint(6, 30)
            numbers = [x for x in range(a, a - n, -1) if x >= 0]
            user = pick(
                [f"Count down from {a} to {numbers[-1]}.", f"Count backwards from {a} to {numbers[-1]}."]
            )
            plan = f"I go down from {a} to {numbers[-1]}."
        elif k < 0.55:
            m, n = rng.randint(2, 40), rng.randint(5, 24)
            numbers = [m * i for i in range(1, n + 1)]
            user = pick(
                [
                    f"List the first {n} multiples of {m}.",
                    f"What are the first {n} multiples of {m}?",
                    f"Give me {n} multiples of {m}, starting with {m}.",
                ]
            )
            plan = f"I add {m} each time, {n} numbers in all."
        elif k < 0.72:
            a, n = pick([0, 0, 0, 10, 20, 50, 100, 200, 300]), rng.randint(20, 110)
            numbers = [x for x in range(a, a + n + 1) if is_prime(x)]
            user = pick(
                [
                    f"List all prime numbers between {a} and {a + n}.",
                    f"Which numbers from {a} to {a + n} are prime?",
                    f"Give me the primes from {a} to {a + n}.",
                ]
            )
            plan = "I check each odd number for divisors."
        elif k < 0.82:
            a, n = rng.randint(1, 15), rng.randint(5, 16)
            numbers = [x * x for x in range(a, a + n)]
            user = pick(
                [
                    f"List the squares of the numbers from {a} to {a + n - 1}.",
                    f"Give me the square numbers from {a} squared to {a + n - 1} squared.",
                ]
            )
            plan = "I multiply each number by itself."
        elif k < 0.9:
            n, a = rng.randint(4, 16), pick([1, 1, 2, 3, 5])
            numbers = [a * 2**i for i in range(n)]
            user = pick(
                [
                    f"Start with {a} and double it {n - 1} times. List all numbers.",
                    f"List {n} numbers starting at {a}, each twice the one before.",
                ]
            )
            plan = "Each number is twice the one before."
        else:
            a, d, n = rng.randint(1, 100), rng.randint(2, 30), rng.randint(6, 22)
            numbers = [a + d * i for i in range(n)]
            user = pick(
                [
                    f"Write {n} numbers that start at {a} and grow by {d}.",
                    f"Continue the sequence {numbers[0]}, {numbers[1]}, {numbers[2]} until there are {n} numbers.",
                ]
            )
            plan = f"The step is {d}."
        f = rng.random()
        if f < 0.55:
            ans = ", ".join(map(str, numbers))
            ans = pick(["{s}", "{s}.", "Here is the list: {s}.", "Sure: {s}", "The numbers are {s}."]).format(
                s=ans
            )
        elif f < 0.75:
            ans = "\n".join(f"- {x}" for x in numbers)
        elif f < 0.9:
            ans = "\n".join(f"{i + 1}. {x}" for i, x in enumerate(numbers))
        else:
            ans = "[" + ", ".join(map(str, numbers)) + "]"
            user += pick([" Answer as a JSON array.", " Reply with a JSON array."])
        if f >= 0.55 and f < 0.75:
            user += pick([" One per line.", " Use a bullet list."])
        elif f >= 0.75 and f < 0.9:
            user += pick([" Use a numbered list.", " Number the lines."])
        if f < 0.9 and rng.random() < 0.3:
            ans += f"\n\nThat makes {len(numbers)} numbers in total."
        return dict(user=user, answer=ans, goal="a list of numbers", plan=plan)

    def task_arith(self):
        """A sum in words or figures, with its steps."""
        rng, pick = self.rng, self.pick
        n1, n2, th, fr = pick(NAMES), pick(NAMES), pick(THINGS), pick(FRUITS)
        k = rng.randint(0, 7)
        if k == 0:
            a, b = rng.randint(2, 99), rng.randint(2, 99)
            user = f"{n1} has {a} {th} and gets {b} more from {n2}. How many {th} does {n1} have now?"
            steps, res, unit = [f"{a} + {b} = {a + b}"], a + b, th
            explanation = f"{n1} starts with {a} {th} and gets {b} more."
        elif k == 1:
            a = rng.randint(20, 150)
            b = rng.randint(1, a - 1)
            user = f"There are {a} {fr} in a basket. {n1} takes {b} of them. How many {fr} are left?"
            steps, res, unit = [f"{a} - {b} = {a - b}"], a - b, fr
            explanation = f"From {a} {fr}, {b} are taken away."
        elif k == 2:
            a, b = rng.randint(2, 20), rng.randint(2, 25)
            user = f"{n1} buys {a} boxes with {b} {th} each. How many {th} are that in total?"
            steps, res, unit = [f"{a} * {b} = {a * b}"], a * b, th
            explanation = f"Each of the {a} boxes holds {b} {th}."
        elif k == 3:
            b, q = rng.randint(2, 15), rng.randint(2, 25)
            user = f"{n1} shares {b * q} {fr} equally among {b} friends. How many {fr} does each friend get?"
            steps, res, unit = [f"{b * q} / {b} = {q}"], q, fr
            explanation = f"{b * q} {fr} are divided by {b}."
        elif k == 4:
            a, b, d = rng.randint(2, 12), rng.randint(2, 20), rng.randint(1, 30)
            user = f"A {pick(PRODUCTS)} shop sells {a} packs of {th} for {b} dollars each and adds {d} dollars for shipping. What is the total price?"
            steps, res, unit = [f"{a} * {b} = {a * b}", f"{a * b} + {d} = {a * b + d}"], a * b + d, "dollars"
            explanation = "First the price of the packs, then the shipping."
        elif k == 5:
            v, t = pick([20, 30, 40, 50, 60, 70, 80, 90, 100, 120]), rng.randint(2, 9)
            user = f"{n1} drives from {pick(CITIES)} at {v} km per hour for {t} hours. How far does {n1} get?"
            steps, res, unit = [f"{v} * {t} = {v * t}"], v * t, "kilometers"
            explanation = "Distance is speed times time."
        elif k == 6:
            a, b = rng.randint(10, 999), rng.randint(10, 999)
            op = pick(["+", "-"])
            if op == "-" and b > a:
                a, b = b, a
            res = a + b if op == "+" else a - b
            user = pick(
                [
                    f"What is {a} {op} {b}?",
                    f"Calculate {a} {op} {b}.",
                    f"{a} {op} {b} = ?",
                    f"How much is {a} {'plus' if op == '+' else 'minus'} {b}?",
                ]
            )
            steps, unit, explanation = (
                [f"{a} {op} {b} = {res}"],
                "",
                f"I {'add' if op == '+' else 'subtract'} the two numbers.",
            )
        else:
            a, b, d = rng.randint(2, 60), rng.randint(2, 60), rng.randint(2, 60)
            user = f"{n1} has {a} {th}, {n2} has {b} {th} and {pick(NAMES)} has {d} {th}. How many {th} do they have together?"
            steps, res, unit = [f"{a} + {b} = {a + b}", f"{a + b} + {d} = {a + b + d}"], a + b + d, th
            explanation = "I add the three numbers one after the other."
        fin = f"{res} {unit}".strip()
        ans = pick(
            [
                f"{explanation} " + ", then ".join(steps) + f". The answer is {fin}.",
                "\n".join([explanation, ""] + ["- " + s for s in steps] + ["", f"**Answer: {fin}**"]),
                "Let us work it out.\n\n"
                + "\n".join(f"{i + 1}. {s}" for i, s in enumerate(steps))
                + f"\n\nSo the result is {fin}.",
            ]
        )
        if rng.random() < 0.4:
            ans += pick(
                [
                    (
                        "\n\n"
                        f"If you want to check it, go through the calculation once more from the end: {fin} is the last number."
                    ),
                    f"\n\nIn words, the result is {num_words(res)}{' ' + unit if unit else ''}.",
                ]
            )
        return dict(user=user, answer=ans, goal="the result", plan=explanation + " " + ". ".join(steps) + ".")

    def task_units(self):
        """A conversion of units, with its factor."""
        rng, pick = self.rng, self.pick
        u, v, f, su, sv = pick(UNITS)
        n = pick([rng.randint(1, 20), rng.randint(1, 200), rng.randint(1, 30) * 5, rng.randint(1, 40) / 2])
        res = format_2(n * f)
        n = format_2(n)
        user = pick(
            [
                f"Convert {n} {u} to {v}.",
                f"How many {v} are {n} {u}?",
                f"What is {n} {su} in {sv}?",
                f"{n} {u} in {v}, please.",
                f"I have {n} {u}. How much is that in {v}?",
            ]
        )
        back = f" The other way round, one of the {v} is {format_4(1 / f)} {u}." if rng.random() < 0.6 else ""
        ans = (
            pick(
                [
                    f"{n} {u} are {res} {v}. The factor is {f}: multiply the {u} by it to get {v}.",
                    f"One of the {u} equals {f} {v}, so you multiply: {n} * {f} = {res}. The result is {res} {v}.",
                    f"To convert {u} to {v}, multiply by {f}.\n\n{n} {su} * {f} = {res} {sv}",
                    f"{n} {su} = {res} {sv}\n\nThe factor between {u} and {v} is {f}.",
                ]
            )
            + back
        )
        return dict(
            user=user, answer=ans, goal=f"{n} {u} in {v}", plan=f"The factor is {f}. {n} * {f} = {res}."
        )

    def task_numword(self):
        """A number in words, numbers in order, smallest and largest."""
        rng, pick = self.rng, self.pick
        n = pick([rng.randint(0, 99), rng.randint(100, 999), rng.randint(1000, 99999)])
        if rng.random() < 0.6:
            user = pick([f"Write {n} in words.", f"Spell the number {n}.", f"How do you write {n} as words?"])
            a = pick(
                [
                    f'{n} in words is "{num_words(n)}".',
                    f"{num_words(n)}",
                    f"The number {n} is written as: {num_words(n)}.",
                ]
            )
        else:
            xs = [rng.randint(0, 999) for _ in range(rng.randint(3, 10))]
            s = rng.random()
            if s < 0.5:
                user = pick(
                    [
                        "Sort these numbers in ascending order: {l}",
                        "Put these numbers in order, smallest first: {l}",
                    ]
                ).format(l=", ".join(map(str, xs)))
                a = pick(["{l}", "Sorted: {l}", "In ascending order the numbers are {l}."]).format(
                    l=", ".join(map(str, sorted(xs)))
                )
            else:
                user = pick(
                    [
                        "What are the minimum and maximum of {l}?",
                        "Find the smallest and the largest of these numbers: {l}",
                    ]
                ).format(l=", ".join(map(str, xs)))
                a = pick(
                    [
                        "The smallest number is {a} and the largest is {b}.",
                        "- minimum: {a}\n- maximum: {b}\n\nThe difference between them is {d}.",
                    ]
                ).format(a=min(xs), b=max(xs), d=max(xs) - min(xs))
        return dict(
            user=user,
            answer=a,
            goal="the right form of the numbers",
            plan="I go through the digits from left to right.",
        )
