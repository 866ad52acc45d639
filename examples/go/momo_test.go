package momo

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

var base = os.Getenv("MOMO_MOCK_URL")

// control sends a request to the control API for a key's account.
func control(t *testing.T, method, path, apikey, body string) *json.Decoder {
	request, _ := http.NewRequest(method, os.Getenv("MOMO_MOCK_CONTROL_URL")+path, strings.NewReader(body))
	request.Header.Set("content-type", "application/json")
	if apikey != "" {
		request.Header.Set("apikey", apikey)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode >= 400 {
		message, _ := io.ReadAll(response.Body)
		t.Fatalf("%s %s failed: %s", method, path, message)
	}
	return json.NewDecoder(response.Body)
}

// account creates a key for one test, so tests can run concurrently.
func account(t *testing.T) string {
	t.Parallel()
	var created struct{ Apikey string }
	if err := control(t, "POST", "/accounts", "", "{}").Decode(&created); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control(t, "DELETE", "/accounts", created.Apikey, "") })
	return created.Apikey
}

func TestReadsTheBalance(t *testing.T) {
	apikey := account(t)
	control(t, "PUT", "/balance", apikey, `{"balance":[{"amount":500,"currency":"XOF"}]}`)
	balance, err := Balance(base, apikey)
	if err != nil || len(balance) != 1 || balance[0] != (Amount{500, "XOF"}) {
		t.Fatalf("got %v, %v", balance, err)
	}
	control(t, "POST", "/verify", apikey, `{"path":"/momo/balance","times":1}`)
}

func TestHasNoBalance(t *testing.T) {
	for name, test := range map[string]struct{ response, want string }{
		"while the service is down":  {`{"status":503}`, "503"},
		"when the connection breaks": {`{"fault":"reset","times":"always"}`, "reset"},
	} {
		test := test
		t.Run(name, func(t *testing.T) {
			apikey := account(t)
			control(t, "PUT", "/responses", apikey, test.response)
			_, err := Balance(base, apikey)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestHasNoBalanceForAWrongKey(t *testing.T) {
	_, err := Balance(base, "wrong")
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Fatalf("got %v", err)
	}
}
