"""A class on one machine: a copy of this, with your names, is the hub's whole configuration.

The instructor's guide says what lies in these folders (autograder/classroom/README.md, "Many people").
"""

from jupyterhub.spawner import LocalProcessSpawner

INSTRUCTOR = "ada"
STUDENTS = {"ben", "cora"}  # users of this system, who log in with their password there (PAM)
INSTRUCTORS_PROGRAMS = "/home/ada/transformer-course/.venv/bin"
STUDENTS_PROGRAMS = "/srv/students/bin"
CLASS = "/home/ada/course"
PROXY = "/srv/hub/node_modules/.bin/configurable-http-proxy"

c = get_config()  # noqa: F821 - JupyterHub puts it here
c.Authenticator.allowed_users = {INSTRUCTOR, *STUDENTS}
c.JupyterHub.bind_url = "http://127.0.0.1:8000"  # for a web server with TLS, on this machine, to pass on
c.ConfigurableHTTPProxy.command = [PROXY]
c.JupyterHub.spawner_class = LocalProcessSpawner
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.Spawner.args = ["--LabApp.expose_app_in_browser=True"]


def with_programs_of(spawner: LocalProcessSpawner) -> None:
    """Start each user's server from the Python that is theirs; the instructor's shows the class."""
    teaches = spawner.user.name == INSTRUCTOR
    programs = INSTRUCTORS_PROGRAMS if teaches else STUDENTS_PROGRAMS
    spawner.cmd = [programs + "/jupyterhub-singleuser"]
    spawner.environment = {"PATH": programs + ":/usr/bin:/bin"}
    if teaches:
        spawner.notebook_dir = CLASS


c.Spawner.pre_spawn_hook = with_programs_of
