# The course in a container: docker build -t transformer-course . && docker run -p 8888:8888 transformer-course
# Not built here: the machines on which the course is made have no Docker. The workflow `image` builds it.
FROM python:3.11-slim-bookworm

# bubblewrap and util-linux are for `autograder grade`, git for `autograder update`.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap git make util-linux \
  && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home learner
COPY --chown=learner:learner . /home/learner/course
USER learner
WORKDIR /home/learner/course
RUN make install && rm -rf /home/learner/.cache

ENV PATH="/home/learner/course/.venv/bin:$PATH"
EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser", "--ServerApp.root_dir=.", "course/00_start_here.ipynb"]
