"""Answers one request about KCL with KCL's own engine.

{"schemas": DIR, "program": FILE} prints the JSON that the program evaluates to; DIR is the package
`banlieue`. {"format": [FILE, ...]} prints what the formatter makes of each file. A program that is
refused ends this one with the engine's message.
"""

import json, pathlib, sys
import kcl_lib.api as api

request = json.load(sys.stdin)
packages = [api.ExternalPkg(pkg_name="banlieue", pkg_path=request["schemas"])]
if "program" in request:
    program = pathlib.Path(request["program"])
    result = api.API().exec_program(api.ExecProgramArgs(
        work_dir=str(program.parent), k_filename_list=[program.name],
        disable_none=True, sort_keys=True, external_pkgs=packages))
    if result.err_message:
        sys.exit(result.err_message)
    print(result.json_result)
else:
    answers = {}
    for path in request["format"]:
        source = pathlib.Path(path).read_text()
        answers[path] = api.API().format_code(api.FormatCodeArgs(source=source)).formatted.decode()
    print(json.dumps(answers))
