"""Tasks of daily use."""

import re

from demo_model.chats.vocabulary import ADJECTIVES, ANIMALS, CITIES, DAYS, NAMES, PRODUCTS, TOPICS
from demo_model.chats.wording import a_an


class DialogueTasks:
    """Emails and small talk."""

    def task_email(self):
        """A short email with a purpose, a topic and a date."""
        rng, pick = self.rng, self.pick
        a, b, topic, day = pick(NAMES), pick(NAMES), pick(TOPICS), pick(DAYS)
        h = rng.randint(8, 18)
        kind = pick(["invite", "thanks", "delay", "question", "reminder", "apology"])
        user = pick(
            [
                "Write a short email from {a} to {b}: {k} about {t}, {d} at {h}.",
                "Draft an email. From: {a}. To: {b}. Purpose: {k}, {t}. Date: {d}, {h}.",
                "{a} needs an email to {b} ({k}, topic: {t}, {d} {h}). Please write it.",
            ]
        ).format(a=a, b=b, k=kind, t=topic, d=day, h=f"{h}:{pick(['00', '15', '30', '45'])}")
        hour = re.search(r"\d+:\d\d", user).group(0)
        subject = topic.replace("the ", "").capitalize()
        body = {
            "invite": [
                f"I would like to invite you to a meeting about {topic}.",
                f"It takes place on {day} at {hour} in room {rng.randint(1, 40)}.",
                "Please let me know if you can come.",
            ],
            "thanks": [
                f"Thank you very much for your help with {topic}.",
                f"Your work on {day} made a real difference.",
                "I am looking forward to working with you again.",
            ],
            "delay": [
                f"I am writing because {topic} will be late.",
                f"The new date is {day} at {hour}.",
                "I am sorry for the trouble and will keep you informed.",
            ],
            "question": [
                f"I have a question about {topic}.",
                f"Could you send me the latest version before {day}, {hour}?",
                "It would help me a lot.",
            ],
            "reminder": [
                f"This is a friendly reminder about {topic}.",
                f"We meet on {day} at {hour}.",
                "Please bring your notes.",
            ],
            "apology": [
                f"I am sorry that I missed {topic} on {day}.",
                f"I was held up and could not be there at {hour}.",
                "I would be glad to make up for it.",
            ],
        }[kind]
        if rng.random() < 0.5:
            body.insert(
                rng.randint(1, 3),
                pick(
                    [
                        "If anything is unclear, just call me.",
                        f"{pick(NAMES)} will join us as well.",
                        "I have attached the details.",
                        "There is no need to prepare anything.",
                        "The agenda follows tomorrow.",
                    ]
                ),
            )
        ans = (
            f"Subject: {subject}\n\n{pick(['Dear', 'Hello', 'Hi'])} {b},\n\n"
            + " ".join(body)
            + f"\n\n{pick(['Best regards', 'Kind regards', 'Many thanks', 'Best wishes'])},\n{a}"
        )
        return dict(
            user=user, answer=ans, goal="an email", plan=f"The tone is polite. I mention {topic} and {day}."
        )

    def task_chat(self):
        """Greetings, thanks, small talk and questions that the model cannot answer."""
        pick = self.pick
        name = pick(NAMES)
        qa = [
            (
                [
                    "Hello!",
                    "Hi there",
                    "Hey, how are you?",
                    "Good morning!",
                    "Good evening",
                    "Hi, my name is {n}.",
                    "Hello, I am {n} from {ci}.",
                    "Hey! {n} here.",
                ],
                [
                    "Hello{h}! How can I help you today?",
                    "Hi{h}! What can I do for you?",
                    "Hello{h}, nice to meet you. I can help with text, code and numbers. What would you like to do?",
                ],
            ),
            (
                [
                    "Who are you?",
                    "What are you?",
                    "Are you a human?",
                    "Tell me about yourself.",
                    "What is your name?",
                ],
                [
                    "I am a very small language model. I was trained to answer simple questions, copy text and write short functions. I make mistakes, so please check my answers.",
                    "I am a tiny language model made for tests and benchmarks. I can define words, write short functions, extract data and repeat text.",
                ],
            ),
            (
                [
                    "What can you do?",
                    "How can you help me?",
                    "What are your skills?",
                    "Give me an overview of what you can do.",
                ],
                [
                    (
                        "I can do a few simple things:\n\n"
                        "- define words\n"
                        "- write short functions in Python and TypeScript\n"
                        "- repeat a text or a code block exactly\n"
                        "- extract data as JSON\n"
                        "- convert units and do simple sums\n"
                        "- tell short stories\n\n"
                        "Just tell me what you need."
                    )
                ],
            ),
            (
                [
                    "Thank you!",
                    "Thanks a lot.",
                    "Thanks, {n} out.",
                    "That was helpful, thanks.",
                    "Great, thank you very much.",
                ],
                [
                    "You are welcome{h}! Let me know if there is anything else.",
                    "Glad I could help. Have a nice day!",
                    "You are welcome. If you have more questions, just ask.",
                ],
            ),
            (
                ["Goodbye!", "Bye.", "See you on {d}.", "I have to go now."],
                ["Goodbye! Have a nice day.", "See you soon. Take care!", "Bye! Come back any time."],
            ),
            (
                [
                    "How is the weather in {ci}?",
                    "Will it rain in {ci} on {d}?",
                    "What is the weather like today in {ci}?",
                ],
                [
                    "I cannot look at the weather in {ci}, because I have no access to live data. Please check a weather service for the current forecast.",
                    "I do not have live weather data for {ci}. A weather site or an app will tell you whether to take an umbrella.",
                ],
            ),
            (
                ["Can you recommend a {p}?", "Which {p} should I buy?", "I need a new {p}. Any advice?"],
                [
                    (
                        "Choosing a good {p} depends on three things:\n\n"
                        "1. your budget\n"
                        "2. how often you use it\n"
                        "3. how long it should last\n\n"
                        "Make a short list of models, read a few reviews, and compare the prices before you decide."
                    ),
                    "For a {p} I would first write down what you really need. Then compare two or three models in that price range, look at the warranty, and pick the one that fits best.",
                ],
            ),
            (
                [
                    "I feel {a} today.",
                    "I am a bit {a} today, {n} says hello.",
                    "My friend {n} is {a}. What should I do?",
                ],
                [
                    "Thank you for telling me. Sometimes it helps to take a short walk, drink some water, and talk to a friend. Be kind to yourself, and take one step at a time.",
                    "I am glad you told me. Listening and a little patience often help more than advice. A small break, some fresh air and a good talk can change a day.",
                ],
            ),
            (
                [
                    "Tell me a joke about {an2}.",
                    "Do you know a joke with a {an}?",
                    "Make me laugh, something with a {an} please.",
                ],
                [
                    "Why did the {an} bring a ladder? Because it wanted to go to high school!",
                    'What did the {an} say to the {an3}? "Nothing, I cannot talk." And the {an3} said: "Then who was that?"',
                ],
            ),
        ]
        q, a = pick(qa)
        an = pick(ANIMALS)
        d = dict(
            n=name,
            ci=pick(CITIES),
            d=pick(DAYS),
            p=pick(PRODUCTS),
            a=pick(ADJECTIVES),
            an=an,
            an2=a_an(an),
            an3=pick(ANIMALS),
        )
        user = pick(q)
        gives_name = "{n}" in user and "friend" not in user
        user = user.format(**d)
        ans = pick(a).format(h=f", {name}" if gives_name else "", **d)
        return dict(user=user, answer=ans, goal="a friendly reply", plan="I answer politely and briefly.")
