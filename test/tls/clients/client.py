"""GETs a URL, trusting one certificate: client.py URL CAFILE"""

import ssl
import sys
import urllib.request

context = ssl.create_default_context(cafile=sys.argv[2])
context.verify_flags |= ssl.VERIFY_X509_STRICT
print(urllib.request.urlopen(sys.argv[1], context=context).read().decode())
