-- Another structure stands behind a projection than in the challenge.
prelude
import Other

theorem goal (c : Claim) : Goal c := fun h => h
