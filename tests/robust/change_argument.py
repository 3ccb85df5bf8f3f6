"""Another value for an argument of a node of a .pt2.

usage: change_argument.py FROM.pt2 TO.pt2 NODE ARGUMENT JSON"""

import json
import sys
import zipfile

source, target, node, argument, value = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    for entry in old.infolist():
        content = old.read(entry)
        if entry.filename.endswith("models/model.json"):
            model = json.loads(content)
            found, = [each for one in model["graph_module"]["graph"]["nodes"] if one["name"] == node
                      for each in one["inputs"] if each["name"] == argument]
            found["arg"] = json.loads(value)
            content = json.dumps(model).encode()
        new.writestr(entry.filename, content)
