"""A walk through a stack's life on the real engine, with nothing needed from outside."""

from dittoinfra.demo.play import Played, SceneError, play
from dittoinfra.demo.scenes import SCENES, Scene
from dittoinfra.demo.show import show
from dittoinfra.demo.stage import FolderTakenError, Stage, stage

__all__ = ["SCENES", "FolderTakenError", "Played", "Scene", "SceneError", "Stage", "play", "show", "stage"]
