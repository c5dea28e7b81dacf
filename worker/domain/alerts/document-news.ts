/** CRA clocks have higher numbers (cra-news). */
const firstNumber = -1_000_000_000_000

/** Stands for the first document of an inventory in the place of an entry of the change log: it is told once. */
export const numberDocument = (inventory_id: number) => firstNumber - inventory_id
export const isDocumentNumber = (seq: number) => seq <= firstNumber
