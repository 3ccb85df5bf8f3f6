-- id: user/x
-- severty: error
-- text: something holds
SELECT 1 AS message
