/**
 * The weights of every VPRv1 metric, as GET /api/ratings/metrics answers them.
 * Units: points towards a sub-score (vulnerability and threat 0-5, asset 0-4); the keys of `caps` are ages in days,
 * inclusive. `cvss2_base_score.default` is the divisor that brings a CVSS v2 base score from 0-10 to 0-4.
 * Source: rating-golden.json, `weights`.
 */
export const ratingWeights = {
  vulnerability: {
    max_score: 5,
    cvss2_base_score: { default: 2.5 },
    cvss2: {
      access: {
        complexity: { default: 0.35, low: 0.71, medium: 0.61, high: 0.35 },
        authentication: { default: 0.704, none: 0.704, single: 0.56, multiple: 0.45 },
        vector: { default: 0.395, local: 0.395, adjacent: 0.646, network: 1 },
      },
      impact: {
        confidentiality: { default: 0, none: 0, partial: 0.275, complete: 0.66, high: 0.66 },
        integrity: { default: 0, none: 0, partial: 0.275, complete: 0.66, high: 0.66 },
        availability: { default: 0, none: 0, partial: 0.275, complete: 0.66, high: 0.66 },
      },
    },
    confirmation: { default: 0, is_confirmed: 0.25 },
    remediation: {
      default: 0.5,
      unknown: 0,
      unavailable: -0.75,
      workaround: 0.5,
      temporary: 0.66,
      official: 0.75,
    },
    age: {
      default: 0.25,
      caps: { 15: 0.25, 45: 0.33, 10000000: 0.5 },
    },
  },
  threat: {
    max_score: 5,
    exploit_availability: { default: 1, unknown: 1, private: 2, public: 3 },
    exploit_maturity: { default: 0, unknown: 0, unproven: 0.25, poc: 0.75, functional: 1 },
    exploit_trust: { default: 0, unknown: 0, low: 0.1, medium: 0.25, high: 0.5, trusted: 0.5 },
    exploit_age: {
      default: 0.33,
      caps: { 15: 0.25, 45: 0.33, 10000000: 0.5 },
    },
    threat_intensity: { default: 0, is_in_the_news: 0.66, is_in_the_wild: 0.66 },
  },
  asset: {
    max_score: 4,
    criticality: { default: 0.3, low: 0.1, medium: 0.3, high: 1 },
    exposure: { default: 1, restricted: 0.5, internal: 1, external: 2 },
    distribution: { default: 0.5, low: 0.2, medium: 0.5, high: 1 },
  },
} as const
