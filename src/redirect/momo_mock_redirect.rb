# `momo-mock run --redirect` loads this into the Ruby processes of its command. It connects clients of
# the redirected hosts to the mock, on any port.
module MomoMockRedirect
  GIVEN = ENV["MOMO_MOCK_REDIRECT"]

  # Replaces the host and port in the arguments of a connection, and removes the local address.
  def self.redirect(arguments)
    host, _port, *more = arguments
    target = targets[host.to_s.downcase.chomp(".")]
    target ? [*target, *more.grep(Hash)] : arguments
  end

  def self.targets
    @targets ||= read
  end

  def self.read
    return {} if GIVEN.to_s.empty?

    require "json"
    # The innermost run comes first.
    JSON.parse(GIVEN)["redirects"].reverse.each_with_object({}) do |one, targets|
      target = one["target"]
      one["hosts"].each { |host| targets[host] = [target["host"], target["port"]] }
    end
  end

  # For TCPSocket.new and TCPSocket.open, which Net::HTTP uses.
  module New
    def initialize(*arguments)
      super(*MomoMockRedirect.redirect(arguments))
    end
    ruby2_keywords :initialize if respond_to?(:ruby2_keywords, true)
  end

  # For Socket.tcp.
  module Tcp
    def tcp(*arguments)
      super(*MomoMockRedirect.redirect(arguments))
    end
    ruby2_keywords :tcp if respond_to?(:ruby2_keywords, true)
  end

  module Inherited
    def inherited(subclass)
      super
      MomoMockRedirect.install(subclass)
    end
  end

  def self.install(type)
    case type.name
    when "TCPSocket" then type.prepend(New)
    when "Socket" then type.singleton_class.prepend(Tcp)
    end
  end

  # Waits for the library "socket" instead of loading it. A gem that is loaded before Bundler, such as
  # io-wait or json, may have another version than the application's.
  if defined?(::TCPSocket)
    [::TCPSocket, ::Socket].each { |type| install(type) }
  else
    IO.singleton_class.prepend(Inherited)
  end
end
