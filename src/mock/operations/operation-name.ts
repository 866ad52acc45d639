/** A method in upper case and a path with its parameters, such as `GET /momo/status/:reference`. */
export type MomoOperation = `${Uppercase<string>} /${string}`;
