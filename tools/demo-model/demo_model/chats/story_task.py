"""Stories."""

from demo_model.chats.vocabulary import (
    ADJECTIVES,
    ANIMALS,
    CITIES,
    COLORS,
    DAYS,
    FRUITS,
    JOBS,
    NAMES,
    OBJECTS,
    PLACES,
    SURNAMES,
    THINGS,
)
from demo_model.chats.wording import a_an, num_words


class StoryTask:
    """A short tale put together from sentence frames."""

    def task_story(self):
        """A short tale from a few sentence frames; the longest answers of all tasks."""
        rng, pick = self.rng, self.pick
        hero_name, animal, place, trait, thing = (
            pick(NAMES),
            pick(ANIMALS),
            pick(PLACES),
            pick(ADJECTIVES),
            pick(OBJECTS),
        )
        friend, color, day = pick(NAMES), pick(COLORS), pick(DAYS)
        while friend == hero_name:
            friend = pick(NAMES)
        hero = pick(
            [
                f"{a_an(trait)} {animal} named {hero_name}",
                f"{a_an(pick(JOBS))} named {hero_name}",
                f"{a_an(trait)} {pick(JOBS)} called {hero_name}",
                f"{a_an(color)} {animal} called {hero_name}",
            ]
        )
        user = pick(
            [
                "Write a short story about {h}.",
                "Tell me a story about {h} and {o}.",
                "Write a few paragraphs about {h} in a {p}.",
                "Tell a short tale with {h}, a {p} and {o}.",
                "I would like a bedtime story about {h}.",
            ]
        ).format(h=hero, o=a_an(thing), p=place)
        sentences = []
        sentences.append(
            pick(
                [
                    f"Once upon a time there was {hero} who lived near a {place}.",
                    f"In {a_an(pick(ADJECTIVES))} little {place} lived {hero}.",
                    f"Long ago, {hero} lived at the edge of a {place}.",
                    f"There was once {hero}. Everybody in the {place} knew {hero_name}.",
                ]
            )
        )
        sentences.append(
            pick(
                [
                    f"Every {day} {hero_name} walked along the river and looked for something new.",
                    f"{hero_name} liked the mornings best, when the {place} was still quiet.",
                    f"{hero_name} had one wish: to see what lay behind the {pick(PLACES)}.",
                    f"The days were long and {hero_name} was often {pick(ADJECTIVES)}.",
                ]
            )
        )
        sentences.append(
            pick(
                [
                    f"One {day}, {hero_name} found {a_an(color)} {thing} under a tree.",
                    f"One evening {hero_name} saw {a_an(color)} {thing} that shone in the dark.",
                    f"Then, on a rainy {day}, {a_an(thing)} lay in front of the door.",
                    f"One day a stranger named {friend} came and brought {a_an(thing)}.",
                ]
            )
        )
        middle = [
            f'"Whose {thing} is this?" asked {hero_name}, but nobody answered.',
            f"{hero_name} picked it up carefully and put it in a bag.",
            f'"You should ask {friend}," said the old {pick(ANIMALS)}. "{friend} knows everything about the {place}."',
            f"So {hero_name} packed some bread and {pick(FRUITS)} and went on a journey.",
            "The way was long and the wind was cold.",
            f"At the {pick(PLACES)} {hero_name} met {friend}, who was {pick(ADJECTIVES)} and {pick(ADJECTIVES)}.",
            "They talked the whole night and became friends.",
            f'{friend} smiled and said, "This {thing} belongs to the {place}. It has been lost for {num_words(rng.randint(2, 99))} years."',
            f"Together they crossed the {pick(PLACES)} and climbed the hill.",
            f"At first {hero_name} was afraid, but then {hero_name} remembered the {thing}.",
            f"Suddenly the {thing} began to glow with {a_an(color)} light.",
            f"{a_an(pick(ADJECTIVES)).capitalize()} {pick(ANIMALS)} showed them the way back.",
            f"It took them {num_words(rng.randint(2, 20))} days to get there.",
            f'"We must not give up," said {friend}.',
            f"{hero_name} sat down under a {color} tree and began to think.",
            f"Nobody in {pick(CITIES)} had ever seen such {a_an(thing)}.",
            f"The {pick(ADJECTIVES)} {pick(ANIMALS)} laughed and ran away.",
            f"They counted {num_words(rng.randint(3, 40))} {pick(THINGS)} on the way, and {hero_name} kept one of them.",
            f"At noon a storm came up, so they hid in {a_an(pick(PLACES))} and ate {pick(FRUITS)}.",
            f'"I am {pick(ADJECTIVES)}," said {friend}, "but I am not {pick(ADJECTIVES)}."',
            f"Inside the {thing} there was a note from {pick(NAMES)} {pick(SURNAMES)}, {a_an(pick(JOBS))} from {pick(CITIES)}.",
            f'The note said: "Look for the {pick(COLORS)} {pick(OBJECTS)} near the {pick(PLACES)}."',
            f"For {num_words(rng.randint(2, 12))} hours they heard nothing but the {pick(['wind', 'rain', 'sea', 'birds', 'clock', 'thunder'])}.",
            f"{friend} told {hero_name} about {a_an(pick(ADJECTIVES))} {pick(JOBS)} who had lost everything in the {pick(PLACES)}.",
            f"That night {hero_name} dreamed of {a_an(pick(COLORS))} {pick(ANIMALS)} and {a_an(pick(OBJECTS))}.",
            f"{a_an(pick(JOBS)).capitalize()} offered them {num_words(rng.randint(2, 90))} {pick(THINGS)} for the {thing}, but {hero_name} said no.",
        ]
        k = rng.randint(2, 13)
        chosen = sorted(rng.sample(range(len(middle)), k))
        sentences += [middle[i] for i in chosen]
        sentences.append(
            pick(
                [
                    f"In the end, the {thing} was back where it belonged, and {hero_name} was happy.",
                    f"From that day on, {hero_name} and {friend} met every {day}.",
                    f"When {hero_name} came home, the whole {place} celebrated.",
                    f"{hero_name} never forgot that day and told the story to everyone who wanted to hear it.",
                ]
            )
        )
        if rng.random() < 0.5:
            sentences.append(
                pick(
                    [
                        "And so they lived in peace.",
                        f"And the {thing}? It is still there today.",
                        "The end.",
                        f"The moral is simple: be {pick(ADJECTIVES)}, and help others.",
                    ]
                )
            )
        # paragraphs
        out, paragraph = [], []
        for s in sentences:
            paragraph.append(s)
            if len(paragraph) >= rng.randint(2, 4):
                out.append(" ".join(paragraph))
                paragraph = []
        if paragraph:
            out.append(" ".join(paragraph))
        return dict(
            user=user,
            answer="\n\n".join(out),
            goal="a short story",
            plan=f"The hero is {hero_name}. There is a problem with the {thing} and a good ending.",
        )
