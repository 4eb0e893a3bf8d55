/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps a Pod's namespaces: sleeps until told to end, and reaps what is left to it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) { (void)signal; _exit(0); }

static void reap(int signal)
{
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

int main(void)
{
    signal(SIGINT, end);
    signal(SIGTERM, end);
    signal(SIGCHLD, reap);
    for (;;)
        pause();
}
