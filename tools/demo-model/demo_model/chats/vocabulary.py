"""Word lists from which the synthetic chats are made."""

NAMES = """
Anna Ben Carla David Emma Felix Grace Henry Ida Jack Karin Leo Maria Noah Olivia Paul Rosa Sam Tina Umar
Vera Will Xenia Yuri Zoe Alice Boris Chloe Daniel Elena Frank Gina Hugo Irene Jonas Kate Liam Mila Nina
Oscar Petra Quentin Ruth Simon Tara Ursula Victor Wendy Aisha Bruno Clara Diego Ella Fatima George Hana Ivan
Julia Kenji Lena Marco Nora Omar Priya Ravi Sofia Tom Uma Viktor Wei Yara Amir Bella Cyrus Dora Erik Flora
Gabriel Helen Isaac Jane Kurt Laura Max Naomi Otto Pia Rachel Stefan Theo Violet
""".split()
SURNAMES = """
Smith Miller Brown Garcia Novak Rossi Tanaka Kim Patel Silva Cohen Berg Moreau Jensen Kowalski Ivanov Nguyen
Khan Lopez Weber Fischer Wagner Becker Hoffman Olsen Larsen Murphy Walsh Evans Turner Parker Cooper Reed
Bailey Foster Hughes Price Long Bennett Wood Barnes Ross Perry Powell Stone Hart Fox Blake Lane
""".split()
CITIES = """
Berlin Paris London Rome Madrid Oslo Vienna Prague Lisbon Dublin Warsaw Athens Helsinki Toronto Boston
Chicago Denver Seattle Austin Tokyo Osaka Seoul Delhi Mumbai Cairo Nairobi Lagos Lima Quito Bogota Sydney
Perth Auckland Zurich Geneva Munich Hamburg Cologne Milan Turin Lyon Nice Porto Seville Ghent Bruges Leeds
Bristol Cardiff Glasgow
""".split()
FRUITS = """
apples pears plums oranges lemons cherries grapes peaches melons bananas kiwis figs mangoes berries limes
dates apricots
""".split()
THINGS = """
books pens stamps coins marbles cards bottles cups chairs tickets letters candles boxes keys buttons plates
stones shells notebooks pencils lamps balls photos maps
""".split()
ANIMALS = """
fox owl rabbit bear mouse cat dog hedgehog otter turtle crow squirrel badger deer wolf frog goose horse lamb
mole
""".split()
COLORS = """
red blue green yellow black white brown orange purple gray silver golden pink
""".split()
PLACES = """
forest village harbor mountain valley island market castle library garden mill bridge lake desert station
tower river meadow lighthouse workshop
""".split()
ADJECTIVES = """
small old brave quiet curious kind tired clever lonely happy shy patient young gentle careful proud honest
""".split()
OBJECTS = """
key map lamp letter book coin ring clock seed flute compass stone feather box mirror rope bell bottle
lantern scarf
""".split()
JOBS = """
teacher doctor engineer nurse baker pilot farmer lawyer painter driver chef designer analyst librarian
gardener plumber writer carpenter manager student
""".split()
PRODUCTS = """
laptop phone camera monitor keyboard printer desk chair lamp backpack bicycle tent kettle blender jacket
watch headset router tablet speaker
""".split()
TOPICS = [
    "the new schedule",
    "the budget",
    "the release",
    "the server move",
    "the workshop",
    "the report",
    "the holiday plan",
    "the office party",
    "the training day",
    "the test results",
    "the customer visit",
    "the contract",
    "the database upgrade",
    "the design review",
    "the open position",
    "the delivery",
]
DAYS = """
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
""".split()
MONTHS = """
January February March April May June July August September October November December
""".split()
SYSTEM_PROMPTS = [
    "You are a helpful assistant.",
    "You are a concise assistant.",
    "You are a careful coding assistant.",
    "You answer briefly and correctly.",
    "You are a friendly assistant. Answer in plain English.",
    "Follow the instructions exactly.",
    "You are an expert programmer.",
    "Answer the question. Do not add anything else.",
    "You are a patient teacher.",
    "You are a small model running on a laptop.",
    "Be polite and precise.",
    "You help people with text, code and numbers.",
    "You are a technical writer.",
    "Keep your answers short.",
    "You are an assistant for software engineers.",
    "Use the context given by the user.",
]

# Names that generated code and key-value lists use.
FIELDS = """
price score latency size weight duration amount age height count total rating speed cost delay value volume
distance points salary tokens bytes errors visits elapsed throughput temperature pressure quantity balance
revenue hits steps retries
""".split()
LABELS = """
label category group name kind region team city status type tag model country department color owner server
phase bucket host job product branch level class_name
""".split()
ITEMS = """
items values rows records numbers entries data samples results events list_in points readings orders users
scores lines elements
""".split()

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb"}

# unit, other unit, factor between them, and their short forms
UNITS = [
    ("kilometers", "miles", 0.621371, "km", "mi"),
    ("miles", "kilometers", 1.609344, "mi", "km"),
    ("meters", "feet", 3.28084, "m", "ft"),
    ("feet", "meters", 0.3048, "ft", "m"),
    ("inches", "centimeters", 2.54, "in", "cm"),
    ("centimeters", "inches", 0.393701, "cm", "in"),
    ("kilograms", "pounds", 2.20462, "kg", "lb"),
    ("pounds", "kilograms", 0.453592, "lb", "kg"),
    ("liters", "gallons", 0.264172, "l", "gal"),
    ("gallons", "liters", 3.78541, "gal", "l"),
    ("hours", "minutes", 60, "h", "min"),
    ("minutes", "seconds", 60, "min", "s"),
    ("days", "hours", 24, "d", "h"),
    ("weeks", "days", 7, "wk", "d"),
    ("kilometers", "meters", 1000, "km", "m"),
    ("kilograms", "grams", 1000, "kg", "g"),
    ("liters", "milliliters", 1000, "l", "ml"),
    ("gigabytes", "megabytes", 1024, "GB", "MB"),
    ("megabytes", "kilobytes", 1024, "MB", "KB"),
]
