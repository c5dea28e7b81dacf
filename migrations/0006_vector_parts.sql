CREATE INDEX `vulns_by_cvss_vector` ON `vulns` (`updated_at`) WHERE cvss_vector is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_aum` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'Au:M') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_ava` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'AV:A') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_ach` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'AC:H') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_aus` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'Au:S') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_avl` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'AV:L') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_ic` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'I:C') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_cc` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'C:C') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_ac` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'A:C') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector_acm` ON `vulns` (`updated_at`) WHERE instr(cvss_vector, 'AC:M') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector` ON `vulns` (`updated_at`) WHERE cvss3_vector is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_avp` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'AV:P') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_ava` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'AV:A') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_al` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'A:L') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_prh` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'PR:H') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_ach` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'AC:H') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_sc` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'S:C') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_cn` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, '/C:N') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_avl` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'AV:L') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_in` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, '/I:N') > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector_uir` ON `vulns` (`updated_at`) WHERE instr(cvss3_vector, 'UI:R') > 0 and state <> 'rejected';
