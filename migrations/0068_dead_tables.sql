-- An earlier migration copied each, and no Worker reads it since. Rows that an older one wrote there afterwards are not copied: those that stand in no
-- newer table may have been taken back meanwhile, and a mute decision that comes back hides alerts.
DROP TABLE `vuln_statuses`;--> statement-breakpoint
DROP TABLE `vuln_status_changes`;--> statement-breakpoint
DROP TABLE `vuln_snoozes`;--> statement-breakpoint
DROP TABLE `inventory_decisions`;--> statement-breakpoint
DROP TABLE `vuln_assignees`;--> statement-breakpoint
DROP TABLE `watch_due`;
