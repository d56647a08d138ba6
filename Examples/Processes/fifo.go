// A FIFO cache for 'larder run' in Go: requests on standard input, answers on standard output.
//
//	go build -o fifo fifo.go
//	fifo CAPACITY [objects|bytes]
//
// docs/processes.md describes the protocol, which is a part of memcached's.
package main

import (
	"bufio"
	"container/list"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

type entry struct {
	key   string
	value []byte
}

type fifo struct {
	capacity, used int
	countsBytes    bool
	entries        map[string]*list.Element
	order          *list.List
}

func (c *fifo) weight(value []byte) int {
	if c.countsBytes {
		return len(value)
	}
	return 1
}

func (c *fifo) remove(key string) bool {
	element, found := c.entries[key]
	if found {
		c.used -= c.weight(element.Value.(*entry).value)
		c.order.Remove(element)
		delete(c.entries, key)
	}
	return found
}

func (c *fifo) store(key string, value []byte) bool {
	if element, found := c.entries[key]; found && c.weight(value) <= c.capacity {
		// A new value stands where the old one stood.
		old := element.Value.(*entry)
		c.used += c.weight(value) - c.weight(old.value)
		old.value = value
		for c.used > c.capacity {
			c.remove(c.order.Front().Value.(*entry).key)
		}
		return true
	}
	c.remove(key)
	if c.weight(value) > c.capacity {
		return false
	}
	for c.used+c.weight(value) > c.capacity {
		c.remove(c.order.Front().Value.(*entry).key)
	}
	c.entries[key] = c.order.PushBack(&entry{key, value})
	c.used += c.weight(value)
	return true
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: fifo CAPACITY [objects|bytes]")
		os.Exit(2)
	}
	capacity, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fifo: a capacity is a whole number, not", os.Args[1])
		os.Exit(2)
	}
	cache := &fifo{
		capacity:    capacity,
		countsBytes: len(os.Args) > 2 && os.Args[2] == "bytes",
		entries:     map[string]*list.Element{},
		order:       list.New(),
	}
	requests, answers := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, err := requests.ReadString('\n')
		if err != nil {
			return // standard input has ended
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "get":
			if element, found := cache.entries[words[1]]; found {
				value := element.Value.(*entry).value
				fmt.Fprintf(answers, "VALUE %s 0 %d\r\n%s\r\n", words[1], len(value), value)
			}
			answers.WriteString("END\r\n")
		case "set":
			length, _ := strconv.Atoi(words[4])
			value := make([]byte, length+2)
			if _, err := io.ReadFull(requests, value); err != nil {
				return
			}
			if cache.store(words[1], value[:length]) {
				answers.WriteString("STORED\r\n")
			} else {
				answers.WriteString("NOT_STORED\r\n")
			}
		case "delete":
			if cache.remove(words[1]) {
				answers.WriteString("DELETED\r\n")
			} else {
				answers.WriteString("NOT_FOUND\r\n")
			}
		case "version":
			answers.WriteString("VERSION fifo.go\r\n")
		case "quit":
			return
		default:
			answers.WriteString("ERROR\r\n")
		}
		answers.Flush()
	}
}
