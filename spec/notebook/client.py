# A Jupyter client for kernel_spec.lua: reads a list of steps in JSON, and writes for each what the kernel sent.
#   python3 client.py KERNELS_FOLDER < steps > answers
import json
import os
import queue
import signal
import sys
import time

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

PATIENCE = 120  # seconds, for machines that are slow


def content_of(message):
    kept = {k: v for k, v in message["content"].items() if k not in ("execution_count", "metadata")}
    return {"type": message["msg_type"], **kept}


class Session:
    def __init__(self, folder):
        self.manager = KernelManager(kernel_name="moontorch", kernel_spec_manager=KernelSpecManager(kernel_dirs=[folder]),
                                     shutdown_wait_time=PATIENCE)
        self.manager.start_kernel(stderr=sys.stderr)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def interrupt(self, way, _, times=1):
        for i in range(times):
            time.sleep(0.3 * i)
            if way == "message":
                self.manager.interrupt_kernel()
            else:
                os.kill(self.manager.provisioner.process.pid, signal.SIGINT)

    def execute(self, code, interrupt=None, answer=None, **options):
        """Runs a cell. It is interrupted as soon as it prints `interrupt`."""
        sent = []

        def hook(message):
            sent.append(content_of(message))
            if interrupt and message["msg_type"] == "stream" and interrupt[1] in message["content"]["text"]:
                self.interrupt(*interrupt)

        def ask(message):
            sent.append(content_of(message))
            self.client.input(answer)

        reply = self.client.execute_interactive(code, output_hook=hook, stdin_hook=ask, allow_stdin=answer is not None, timeout=PATIENCE,
                                                **options)
        sent.append(content_of(reply))
        return [m for m in sent if m["type"] not in ("status", "execute_input")]

    def _reply(self, message_id):
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == message_id:
                return reply["content"]

    def complete(self, code, place=None):
        return self._reply(self.client.complete(code, place))

    def inspect(self, code, place=None):
        return self._reply(self.client.inspect(code, place))

    def is_complete(self, code):
        return self._reply(self.client.is_complete(code))

    def history(self, **options):
        return self._reply(self.client.history(**options))

    def info(self):
        return self._reply(self.client.kernel_info())

    def junk(self):
        """Messages that no client sends: the kernel refuses them, and lives."""
        for channel in (self.client.shell_channel, self.client.control_channel):
            session = self.client.session
            for kind, content in (("no_such_request", {}), ("execute_request", {}), ("execute_request", {"code": 5}),
                                  ("complete_request", {"code": "x", "cursor_pos": -7}), ("complete_request", {"code": "x", "cursor_pos": 1e9}),
                                  ("inspect_request", {"code": [], "cursor_pos": {}}), ("is_complete_request", {"code": None}),
                                  ("history_request", {"hist_access_type": "tail"}), ("comm_open", {"comm_id": 1}), ("shutdown_reply", {})):
                channel.send(session.msg(kind, content))
            for parts in ([b""], [b"a", b"b"], [b"<IDS|MSG>", b"0" * 64, b"{", b"}", b"[", b"]"], [b"<IDS|MSG>"], [b"\xff" * 100] * 9,
                          [b"<IDS|MSG>", b"x"], [b"<IDS|MSG>", session.sign([b"{}"]), b"{}"], [b"<IDS|MSG>", session.sign([b"[]"] * 4), b"[]", b"[]", b"[]", b"[]"],
                          [b"<IDS|MSG>", session.sign([b"{}"] * 4), b"{}", b"{}", b"{}", b"{}"],
                          [b"<IDS|MSG>", session.sign([b'{"msg_type":7}', b"{}", b"{}", b"{}"]), b'{"msg_type":7}', b"{}", b"{}", b"{}"],
                          [b"<IDS|MSG>", session.sign([b"\xff\xfe"] * 4), b"\xff\xfe", b"\xff\xfe", b"\xff\xfe", b"\xff\xfe"]):
                channel.socket.send_multipart(parts)
        time.sleep(0.5)
        while True:
            try:
                self.client.get_shell_msg(timeout=0.5)
            except queue.Empty:
                break
        return self.execute("1 + 1")

    def restart(self):
        """Ends the kernel as a frontend's menu does, and starts another."""
        process = self.manager.provisioner.process
        self.manager.restart_kernel()
        self.client.wait_for_ready(timeout=PATIENCE)
        return {"status": process.returncode}

    def notebook(self, path):
        """Runs a notebook; what its cells give."""
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(path, 4)
        NotebookClient(notebook, timeout=PATIENCE, km=KernelManager(
            kernel_name="moontorch", kernel_spec_manager=self.manager.kernel_spec_manager)).execute()
        return [{"id": cell["id"], "outputs": cell.get("outputs", [])} for cell in notebook.cells]

    def shutdown_while_busy(self, code):
        process = self.manager.provisioner.process
        self.client.execute(code)
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["msg_type"] == "stream":
                break
        self.manager.request_shutdown()
        return {"status": process.wait(PATIENCE)}


def main():
    session = Session(sys.argv[1])
    answers = []
    for name, *arguments in json.load(sys.stdin):
        options = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        answers.append(getattr(session, name)(*arguments, **options))
    if session.manager.has_kernel:
        session.manager.shutdown_kernel(now=True)
    json.dump(answers, sys.stdout)


main()
