const repositoryAdvisory = /^https:\/\/github\.com\/[^/]+\/[^/]+\/security\/advisories\/GHSA-/i

/** An advisory of a repository is written by those who maintain it: nobody else can. */
export const listOwnTags = (url: string) => (repositoryAdvisory.test(url) ? ['Vendor Advisory'] : [])
