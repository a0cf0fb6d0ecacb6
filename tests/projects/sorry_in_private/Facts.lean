-- A private theorem of a module, behind a public one, rests on sorryAx.
module
prelude
public import Logic

theorem secret : False := sorryAx _ Bool.false
public theorem fact : False := secret
