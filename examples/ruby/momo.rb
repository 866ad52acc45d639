require "json"
require "net/http"

class Momo
  class NoBalance < StandardError; end

  def initialize(url, apikey)
    @target = URI("#{url}/momo/balance?#{URI.encode_www_form(apikey: apikey)}")
  end

  def balance
    response = Net::HTTP.get_response(@target)
    raise NoBalance, "GET /momo/balance failed with status #{response.code}" unless response.is_a?(Net::HTTPOK)

    JSON.parse(response.body)["balance"]
  rescue SystemCallError, EOFError => error
    raise NoBalance, error.message
  end
end
