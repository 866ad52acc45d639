// GETs a URL, trusting the certificates of a file: client URL CAFILE
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	pem, err := os.ReadFile(os.Args[2])
	check(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	response, err := (&http.Client{Transport: transport}).Get(os.Args[1])
	check(err)
	body, err := io.ReadAll(response.Body)
	check(err)
	fmt.Println(string(body))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
