export function saveFile(file: Blob, name: string) {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const saveJson = (data: unknown, name: string) =>
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), name)
