DROP INDEX `alerts_by_change`;--> statement-breakpoint
ALTER TABLE `alerts` ADD `planned` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
-- Eight bits a channel were one number.
UPDATE alerts SET planned = json_object(
	'email', tally & 255, 'slack', tally >> 8 & 255, 'teams', tally >> 16 & 255,
	'thehive', tally >> 24 & 255, 'misp', tally >> 32 & 255, 'webhook', tally >> 40 & 255
) WHERE tally <> 0;
