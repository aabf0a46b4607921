"""A table with text in skrub and scikit-learn: ``python examples/tools/table.py``."""

# %%
# A column of free text, a column of numbers, and some texts are missing.

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from skrub import TableVectorizer

from skfly import FlyHashVectorizer

random = np.random.default_rng(0)
SUBJECTS = {
    "music": ["guitar", "song", "album", "singer", "concert", "drums"],
    "sport": ["football", "league", "goal", "coach", "stadium", "player"],
}
topics = random.choice(list(SUBJECTS), 200)
table = pd.DataFrame(
    {
        "note": [
            " ".join(random.choice(SUBJECTS[topic], 3)) + f" {i}" for i, topic in enumerate(topics)
        ],
        "price": random.normal(size=200),
    }
)
table.loc[::20, "note"] = None

# %%
# The fly takes the column as skrub passes it, and names its columns after words.

fly = FlyHashVectorizer(pretrained="en", adapt="nothing", missing="empty", feature_names="words")
model = make_pipeline(TableVectorizer(high_cardinality=fly), LogisticRegression(max_iter=1000))
score = cross_val_score(model, table, topics, cv=4).mean()
print(f"{score:.2f} right")

# %%
# What it goes by:

model.fit(table, topics)
strengths = pd.Series(model[-1].coef_[0], model[0].get_feature_names_out())
print(strengths.nlargest(3).index.tolist(), strengths.nsmallest(3).index.tolist())
