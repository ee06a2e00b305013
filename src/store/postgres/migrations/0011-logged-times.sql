-- The `updated_at` of each logged note, in the order of `ids`, so that an instance sees whether it knows that state already.
-- NULL, or NULL for a note: which of its states was written is not known.
ALTER TABLE distributed_changes ADD COLUMN updated_ats bigint[];
