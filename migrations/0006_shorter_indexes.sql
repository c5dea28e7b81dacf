DROP INDEX `bulletins_by_published`;
--> statement-breakpoint
DROP INDEX `bulletins_by_vendor`;
--> statement-breakpoint
DROP INDEX `bulletins_by_severity`;
--> statement-breakpoint
CREATE INDEX `bulletins_by_published` ON `bulletins` (`published`);
--> statement-breakpoint
CREATE INDEX `bulletins_by_vendor` ON `bulletins` (`vendor`,`published`);
--> statement-breakpoint
CREATE INDEX `bulletins_by_severity` ON `bulletins` (`severity`,`published`);
--> statement-breakpoint
DROP INDEX `packages_by_type_updated`;
--> statement-breakpoint
DROP INDEX `packages_by_vulns`;
--> statement-breakpoint
DROP INDEX `packages_by_name`;
--> statement-breakpoint
DROP INDEX `packages_by_updated`;
--> statement-breakpoint
CREATE INDEX `packages_by_type_updated` ON `packages` (`type`,`updated_at`);
--> statement-breakpoint
CREATE INDEX `packages_by_vulns` ON `packages` (`vulns_count`);
--> statement-breakpoint
CREATE INDEX `packages_by_name` ON `packages` (`name`);
--> statement-breakpoint
CREATE INDEX `packages_by_updated` ON `packages` (`updated_at`);
--> statement-breakpoint
DROP INDEX `products_by_name`;
--> statement-breakpoint
DROP INDEX `products_by_updated`;
--> statement-breakpoint
DROP INDEX `products_by_vulns`;
--> statement-breakpoint
CREATE INDEX `products_by_name` ON `products` (`name`);
--> statement-breakpoint
CREATE INDEX `products_by_updated` ON `products` (`updated_at`);
--> statement-breakpoint
CREATE INDEX `products_by_vulns` ON `products` (`vulns_count`);
--> statement-breakpoint
DROP INDEX `vendors_by_updated`;
--> statement-breakpoint
DROP INDEX `vendors_by_vulns`;
--> statement-breakpoint
DROP INDEX `vendors_by_products`;
--> statement-breakpoint
CREATE INDEX `vendors_by_updated` ON `vendors` (`updated_at`);
--> statement-breakpoint
CREATE INDEX `vendors_by_vulns` ON `vendors` (`vulns_count`);
--> statement-breakpoint
CREATE INDEX `vendors_by_products` ON `vendors` (`products_count`);
--> statement-breakpoint
DROP INDEX `exploits_by_modified`;
--> statement-breakpoint
CREATE INDEX `exploits_by_modified` ON `exploits` (`modified`);
--> statement-breakpoint
DROP INDEX `threats_by_modified`;
--> statement-breakpoint
CREATE INDEX `threats_by_modified` ON `threats` (`modified`);
--> statement-breakpoint
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
