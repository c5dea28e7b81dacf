export const isLink = (url: string) => /^https?:\/\//i.test(url)
