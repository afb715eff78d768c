"""The demo: a stack on the real engine in ten scenes, without external dependencies."""

from lab.demo.play import Played, SceneError, play
from lab.demo.scenes import SCENES, Scene
from lab.demo.show import show
from lab.demo.stage import FolderTakenError, Stage, stage

__all__ = ["SCENES", "FolderTakenError", "Played", "Scene", "SceneError", "Stage", "play", "show", "stage"]
