-- Texts are cleaned and words for the search are taken at the merge now. Later than the new Worker is there.
UPDATE feeds SET next_run_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+15 minutes') WHERE id = 'remerge';
