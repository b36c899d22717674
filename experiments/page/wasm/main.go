//go:build js && wasm

// Command wasm is the program in the page of nest page: an App, which scripts call by the name nestPage. The first
// argument is the command, the others are its arguments, all of them strings; what comes back is an object of strings.
package main

import (
	"syscall/js"

	"github.com/nestfilter/nest/experiments/page"
)

func main() {
	app := new(page.App)
	js.Global().Set("nestPage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var texts []string
		for _, a := range args {
			texts = append(texts, a.String())
		}
		shown := map[string]any{}
		for place, text := range app.Do(texts[0], texts[1:]...) {
			shown[place] = text
		}
		return shown
	}))
	select {} // a program that ends cannot be called
}
