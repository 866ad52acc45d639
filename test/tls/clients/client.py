"""GETs a URL, trusting the certificates of a file: client.py URL CAFILE"""

import ssl
import sys
import urllib.error
import urllib.request

context = ssl.create_default_context(cafile=sys.argv[2])
context.verify_flags |= ssl.VERIFY_X509_STRICT
try:
    print(urllib.request.urlopen(sys.argv[1], context=context).read().decode())
except urllib.error.URLError as error:
    sys.exit(f"{error.reason.verify_code} {error.reason.verify_message}")
