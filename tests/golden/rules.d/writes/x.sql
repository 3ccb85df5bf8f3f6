-- id: user/x
-- severity: error
-- text: something holds
DELETE FROM finding
