# A server of files for hub_spec.lua: `python3 server.py FOLDER` writes its port, then serves until its input ends. It has ranges and ETags.
# /short/N/NAME breaks off after N bytes, unless the request has a range; /plain/NAME has no ranges; each request is noted in FOLDER/requests.
import hashlib
import http.server
import os
import sys
import threading
import urllib.parse

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        parts = self.path.split('?')[0].strip('/').split('/')
        with open(os.path.join(folder, 'requests'), 'a') as log:
            log.write(f'{self.path} {self.headers.get("Range", "-")}\n')
        if parts[0] == 'moved':
            self.send_response(302)
            self.send_header('Location', 'file:///etc/passwd' if parts[1] == 'away' else '/' + parts[1])
            self.send_header('Content-Length', '0')
            self.end_headers()
            return
        path = os.path.join(folder, urllib.parse.unquote(parts[-1]))
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, 'rb') as file:
            data = file.read()
        etag = '"' + hashlib.sha1(data).hexdigest() + '"'
        asked = self.headers.get('Range')
        first = int(asked.split('=')[1].split('-')[0]) if asked and parts[0] != 'plain' and self.headers.get('If-Range') == etag else 0
        if first > 0 and first >= len(data):
            self.send_error(416)
            return
        self.send_response(206 if first else 200)
        if first:
            self.send_header('Content-Range', f'bytes {first}-{len(data) - 1}/{len(data)}')
        self.send_header('ETag', etag)
        self.send_header('Content-Length', str(len(data) - first))
        self.send_header('Connection', 'close')
        self.end_headers()
        self.close_connection = True
        self.wfile.write(data[first:int(parts[1])] if parts[0] == 'short' and not asked else data[first:])


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
