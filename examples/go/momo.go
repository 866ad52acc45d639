// Package momo reads the balance of a mobile money account.
package momo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// Amount is money in one currency.
type Amount struct {
	Amount   int    `json:"amount"`
	Currency string `json:"currency"`
}

// Balance reads the balance of a key's account from the service at base.
func Balance(base, apikey string) ([]Amount, error) {
	response, err := http.Get(base + "/momo/balance?apikey=" + url.QueryEscape(apikey))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET /momo/balance failed with status %s", response.Status)
	}
	var body struct{ Balance []Amount }
	err = json.NewDecoder(response.Body).Decode(&body)
	return body.Balance, err
}
