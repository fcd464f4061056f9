"""A line through noisy readings, by stochastic gradient descent. Deterministic for a seed and a sequence of calls."""
import json
import random


class Model:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.slope, self.offset, self.rate, self.rounds = self.random.random(), 0.0, 0.02, 0
        self.readings = []

    def load(self, path):
        with open(path) as lines:
            self.readings += [tuple(map(float, line.split(","))) for line in lines]
        return len(self.readings)

    def fit(self, rounds):
        for _ in range(rounds):
            for _ in range(250_000):
                x, y = self.readings[self.random.randrange(len(self.readings))]
                error = self.slope * x + self.offset - y
                self.slope -= self.rate * error * x
                self.offset -= self.rate * error
            self.rounds += 1
        total = sum((self.slope * x + self.offset - y) ** 2 for x, y in self.readings)
        return f"round {self.rounds} loss {total / len(self.readings):.9f}"

    def save(self, path):
        with open(path, "w") as out:
            json.dump({"slope": self.slope, "offset": self.offset, "rounds": self.rounds}, out)
