-- Pages optimize images on the visitor's own device: there are no trials to count, and no files without a key. Those of
-- before become files of a key whose record is gone, so that sums stay what they were.
-- Before the first release nothing else uses the tables.

DROP TABLE trials;
DROP TABLE trial_days;
UPDATE usage_days SET key_id = 'key_0000000000000000' WHERE key_id = '';
UPDATE usage_months SET key_id = 'key_0000000000000000' WHERE key_id = '';
