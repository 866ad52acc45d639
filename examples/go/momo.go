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

// Balance reads the balance of the account of a key from the service at base.
func Balance(base, apikey string) ([]Amount, error) {
	response, err := http.Get(base + "/momo/balance?apikey=" + url.QueryEscape(apikey))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the balance was answered with %s", response.Status)
	}
	var answer struct{ Balance []Amount }
	err = json.NewDecoder(response.Body).Decode(&answer)
	return answer.Balance, err
}
