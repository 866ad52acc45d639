require "minitest/autorun"
require_relative "momo"

class MomoTest < Minitest::Test
  # Each test has its own key, so tests can run concurrently.
  parallelize_me!

  URL = ENV.fetch("MOMO_MOCK_URL")
  CONTROL = URI(ENV.fetch("MOMO_MOCK_CONTROL_URL"))

  def setup
    @apikey = JSON.parse(control("POST", "/accounts", {}))["apiKey"]
  end

  def teardown
    control("DELETE", "/accounts", nil, "apikey" => @apikey)
  end

  def test_reads_the_balance
    configure("/balance", balance: [{ amount: 500, currency: "XOF" }])
    assert_equal [{ "amount" => 500, "currency" => "XOF" }], Momo.new(URL, @apikey).balance
    verify(path: "/momo/balance", times: 1)
  end

  def test_has_no_balance_while_the_service_is_down
    configure("/responses", status: 503)
    assert_no_balance(/503/)
  end

  def test_has_no_balance_when_the_connection_breaks
    # Always, because Net::HTTP retries a GET on its own.
    configure("/responses", fault: "reset", times: "always")
    assert_no_balance(/reset/i)
  end

  def test_has_no_balance_for_a_wrong_key
    assert_no_balance(/401/, "wrong")
  end

  private

  def assert_no_balance(message, apikey = @apikey)
    error = assert_raises(Momo::NoBalance) { Momo.new(URL, apikey).balance }
    assert_match message, error.message
  end

  def configure(path, body)
    control("PUT", path, body, "apikey" => @apikey)
  end

  def verify(expected)
    control("POST", "/verify", expected, "apikey" => @apikey)
  end

  def control(method, path, body, headers = {})
    headers = headers.merge("content-type" => "application/json")
    Net::HTTP.start(CONTROL.host, CONTROL.port) do |http|
      response = http.send_request(method, path, body && JSON.generate(body), headers)
      raise response.body unless response.is_a?(Net::HTTPSuccess)

      response.body
    end
  end
end
