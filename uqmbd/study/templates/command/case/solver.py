"""A stand-in for a program of your own: reads a text file, writes result.json."""

import json
import math
import sys

with open(sys.argv[1]) as file:
    given = {name.strip(): float(value) for name, value in (line.split("=") for line in file)}

decay = given["damping"] / (2 * given["mass"])
frequency = math.sqrt(given["stiffness"] / given["mass"] - decay**2)
times = [0.1 * k for k in range(101)]
x = [math.exp(-decay * t) * math.cos(frequency * t) for t in times]
with open("result.json", "w") as file:
    json.dump({"time": times, "x": x}, file)
